/** The part of sherpa-onnx-node (which brings no types) that the Moonshine engine uses. */
declare module 'sherpa-onnx-node' {
  export type OfflineRecognizerConfig = {
    readonly featConfig: { readonly sampleRate: number; readonly featureDim: number };
    readonly modelConfig: {
      readonly moonshine: { readonly encoder: string; readonly mergedDecoder: string };
      readonly tokens: string;
      readonly numThreads: number;
      readonly provider: 'cpu';
      readonly debug: boolean;
    };
  };
  export type OfflineStream = {
    acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void;
  };
  export type OfflineRecognizer = {
    createStream(): OfflineStream;
    decodeAsync(stream: OfflineStream): Promise<{ readonly text: string }>;
  };
  const sherpa: {
    readonly OfflineRecognizer: {
      createAsync(config: OfflineRecognizerConfig): Promise<OfflineRecognizer>;
    };
  };
  export default sherpa;
}
