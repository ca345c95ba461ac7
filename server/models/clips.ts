import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A short recording whose words are known. */
export type Clip = {
  readonly name: string;
  /** 16 kHz, mono, as a WAV file. */
  readonly path: string;
  readonly language: string;
  readonly words: string;
};

/** Made with a speech synthesiser: no person's voice is in them. */
const KNOWN = [
  ['sv-one', 'sv', 'Patienten har haft feber i tre dagar och behöver vila.'],
  ['sv-two', 'sv', 'Skicka rapporten till kontoret före fredag morgon.'],
  ['sv-three', 'sv', 'I dag är det en bra dag att börja med något nytt.'],
  ['en-one', 'en', 'The patient has had a fever for three days and needs to rest.'],
] as const;

const HEADER_BYTES = 44;

/** The clips of a language; English ones where there are none of it. */
export function clipsOf(language: string): readonly Clip[] {
  const known = KNOWN.filter(([, spoken]) => spoken === language);
  return (known.length > 0 ? known : KNOWN.filter(([, spoken]) => spoken === 'en')).map(
    ([name, spoken, words]) => ({
      name,
      path: fileURLToPath(new URL(`./clips/${name}.wav`, import.meta.url)),
      language: spoken,
      words,
    }),
  );
}

/** A clip's samples, -1 to 1. */
export async function samplesOf({ path }: Clip): Promise<Float32Array> {
  const file = await readFile(path);
  const count = (file.length - HEADER_BYTES) >> 1;
  return Float32Array.from(
    { length: count },
    (_, at) => file.readInt16LE(HEADER_BYTES + 2 * at) / 32_768,
  );
}
