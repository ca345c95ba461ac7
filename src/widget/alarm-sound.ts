/** Two soft notes, the second one lower: something has stopped. */
const NOTES_HZ = [660, 440] as const;
const NOTE_S = 0.22;
const LOUDNESS = 0.12;
const FADE_S = 0.02;

/** A context that does not run by then will not be heard in time. */
const PATIENCE_MS = 1_000;

/**
 * Plays a short, soft sound in a context of its own: the one that records may be what is stuck.
 * Silent where the browser lets no sound be made. Never rejects.
 */
export async function playAlarm(): Promise<void> {
  try {
    const context = new AudioContext();
    setTimeout(() => void context.close().catch(() => {}), PATIENCE_MS);
    if (context.state !== 'running') await context.resume();
    NOTES_HZ.forEach((frequencyHz, index) => {
      playNote(context, frequencyHz, context.currentTime + index * NOTE_S);
    });
  } catch {
    // The alarm is still seen.
  }
}

function playNote(context: AudioContext, frequencyHz: number, atS: number): void {
  const tone = new OscillatorNode(context, { frequency: frequencyHz });
  const volume = new GainNode(context, { gain: 0 });
  // Without a click at either end.
  volume.gain.setValueAtTime(0, atS);
  volume.gain.linearRampToValueAtTime(LOUDNESS, atS + FADE_S);
  volume.gain.setValueAtTime(LOUDNESS, atS + NOTE_S - FADE_S);
  volume.gain.linearRampToValueAtTime(0, atS + NOTE_S);
  tone.connect(volume).connect(context.destination);
  tone.start(atS);
  tone.stop(atS + NOTE_S);
}
