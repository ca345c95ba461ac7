/** A file as it must be, byte for byte. */
export type ModelFile = {
  /** Its path below the repository's root, without folders. */
  readonly name: string;
  readonly bytes: number;
  /** In lower case hexadecimal. */
  readonly sha256: string;
};

/** How a model's files are laid out, which decides what is done with them before they are loaded. */
export type ModelLayout =
  /** NeMo's TDT with decoder and joint in one file and no metadata: must be converted. */
  | 'nemo-fused'
  /** As sherpa-onnx wants it: encoder, decoder, joiner, tokens. */
  | 'sherpa-transducer';

/** A model that is fetched once and then lies on this machine. */
export type FetchedModel = {
  readonly kind: 'fetched';
  /** Names it in commands, addresses and folders: lower case, digits, dashes. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Owner and name on Hugging Face, or on a mirror of it. */
  readonly repository: string;
  /** Pinned: 40 hexadecimal digits. */
  readonly commit: string;
  readonly files: readonly ModelFile[];
  readonly layout: ModelLayout;
  /** What each file is, by its name. */
  readonly parts: ModelParts;
  /** What the encoder must say of itself, where it has to be told: for `nemo-fused`. */
  readonly facts: EncoderFacts;
  readonly licence: string;
  /** Where its terms are. */
  readonly licenceUrl: string;
  /** Whom the licence wants named. */
  readonly attribution: string;
  /** What we change in it, which CC BY wants said; null for nothing. */
  readonly changes: string | null;
  /** Primary subtags it can write, the one it is best at first. */
  readonly languages: readonly string[];
  /** Memory it takes at most while it recognises, in bytes. */
  readonly memoryBytes: number;
};

/** Names of the files in a layout. */
export type ModelParts = {
  readonly encoder: string;
  readonly tokens: string;
  /** `decoder` and `joiner` are one file where the layout is `nemo-fused`. */
  readonly decoder: string;
  readonly joiner: string;
};

/** The numbers of a transducer that sherpa-onnx reads from the encoder's metadata. */
export type EncoderFacts = {
  /** Tokens without the blank. */
  readonly vocabulary: number;
  /** Frames of features for each frame of the encoder. */
  readonly subsampling: number;
  readonly decoderLayers: number;
  readonly decoderSize: number;
  readonly featureBins: number;
  /** How many durations the joint tells apart, 0 to one less. */
  readonly durations: number;
};

/** The model that comes with the server. */
export type PackagedModel = {
  readonly kind: 'packaged';
  readonly id: string;
  readonly name: string;
  /** The npm package it comes from. */
  readonly package: string;
  readonly licence: string;
  readonly attribution: string;
  readonly languages: readonly string[];
  readonly memoryBytes: number;
};

/** A model this server can run by itself. */
export type KnownModel = FetchedModel | PackagedModel;

/** What all of a model's files take, in bytes. */
export function totalBytes(model: FetchedModel): number {
  return model.files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** So that nobody else's disk is full when a model is ready. */
const SPARE_DISK_BYTES = 50_000_000;

/**
 * The disk that must be free for it: what is fetched, beside it what is made of that, and a little
 * for everybody else.
 */
export function diskBytes(model: FetchedModel): number {
  return 2 * totalBytes(model) + SPARE_DISK_BYTES;
}
