/** The part of sherpa-onnx-node (which brings no types) that the embedded engines use. */
declare module 'sherpa-onnx-node' {
  export type OfflineRecognizerConfig = {
    readonly featConfig: { readonly sampleRate: number; readonly featureDim: number };
    readonly modelConfig: {
      readonly tokens: string;
      readonly numThreads: number;
      /** `cpu:` and the path of a file with settings of ONNX Runtime, a line each. */
      readonly provider: 'cpu' | `cpu:${string}`;
      readonly debug: boolean;
    } & (
      | { readonly moonshine: { readonly encoder: string; readonly mergedDecoder: string } }
      | {
          readonly transducer: {
            readonly encoder: string;
            readonly decoder: string;
            readonly joiner: string;
          };
          readonly modelType: 'nemo_transducer';
        }
    );
  };
  export type OfflineStream = {
    acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void;
  };
  /** Each list has an entry a token, or none where the model does not tell. Times are in seconds. */
  export type OfflineResult = {
    readonly text: string;
    readonly tokens: readonly string[];
    readonly timestamps: readonly number[];
    readonly durations: readonly number[];
    readonly ys_log_probs: readonly number[];
  };
  export type OfflineRecognizer = {
    createStream(): OfflineStream;
    decodeAsync(stream: OfflineStream): Promise<OfflineResult>;
  };
  const sherpa: {
    readonly OfflineRecognizer: {
      createAsync(config: OfflineRecognizerConfig): Promise<OfflineRecognizer>;
    };
  };
  export default sherpa;
}
