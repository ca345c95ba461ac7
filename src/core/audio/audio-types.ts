/** The recording formats, in the order in which they are tried. */
export const AUDIO_TYPES = ['audio/webm', 'audio/mp4', 'audio/wav'] as const;

export type AudioType = (typeof AUDIO_TYPES)[number];

/** The codecs of each, as a type's `codecs` parameter names them. */
export const RECORDED_CODECS: Readonly<Record<AudioType, readonly string[]>> = {
  'audio/webm': ['opus'],
  'audio/mp4': ['mp4a', 'aac'],
  'audio/wav': ['1', 'pcm'],
};

/** The bit rate of compressed audio. */
export const AUDIO_BITRATE_BPS = 32_000;

/** File name extensions: servers that go by the name must find what the type says. */
export const AUDIO_EXTENSIONS: Readonly<Record<AudioType, string>> = {
  'audio/webm': 'webm',
  'audio/mp4': 'mp4',
  'audio/wav': 'wav',
};

/** Audio ready to be sent or stored: plain bytes, since Blobs in IndexedDB fail in Safari. */
export type EncodedAudio = {
  readonly type: AudioType;
  readonly bytes: ArrayBuffer;
  readonly durationSamples: number;
};

/** Turns 16 kHz mono samples into a file. */
export type AudioEncoderPort = {
  /** The format in use, found by packing a probe; throws `audio-type-missing` if none works. */
  chooseType(): Promise<AudioType>;
  /** Encodes in the chosen format; throws `encoding-failed`. */
  encode(samples: Float32Array): Promise<EncodedAudio>;
  /** The samples of a file made by `encode`. */
  decode(audio: EncodedAudio): Promise<Float32Array>;
};

/** The facts that a decoder needs. */
export type PacketCodec = {
  readonly codec: string;
  readonly sampleRate: number;
  readonly numberOfChannels: number;
  readonly description: ArrayBuffer | null;
};

/** Encoded sound without a file around it: several can be joined in one. */
export type SoundPackets = {
  /** The type of the file that they make. */
  readonly type: AudioType;
  /** Null for 16-bit PCM, which has one packet. */
  readonly codec: PacketCodec | null;
  /** The packets, one after the other, and the bytes of each. */
  readonly bytes: ArrayBuffer;
  readonly sizes: readonly number[];
  /** The length of each, in samples at 16 kHz; the last ones may reach beyond the end. */
  readonly packetSamples: number;
  readonly durationSamples: number;
};

/** Turns sound into packets, and packets into files. */
export type SoundPacker = {
  /**
   * Makes a small file in the format in use, which brings what files are made with, or goes over to
   * the next format that can; throws `audio-type-missing` if none can.
   */
  proveFiles(): Promise<void>;
  /** Encodes in the chosen format, or as PCM if that fails; throws `encoding-failed`. */
  pack(samples: Float32Array): Promise<SoundPackets>;
  /** One file of all parts, in order; at least one. Throws `encoding-failed`. */
  join(parts: readonly SoundPackets[]): Promise<EncodedAudio>;
};
