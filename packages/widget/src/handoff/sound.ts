import type { ConsentStorage } from "../loader/consent-storage.ts";

/** Two soft notes, as frequencies in Hz with their start in seconds. */
const NOTES = [
  [660, 0],
  [880, 0.12],
] as const;
const NOTE_SECONDS = 0.3;
const VOLUME = 0.08;
/** The time after which a sound that could not be played is skipped, in milliseconds. */
const LATE_MS = 1_000;

export type Sound = ReturnType<typeof createSound>;

/** The sound of a new message. It is off until the visitor switches it on. */
export function createSound(storage: ConsentStorage) {
  let context: AudioContext | null = null;
  const isOn = () => storage.read("local", "sound") === true;

  async function play(): Promise<void> {
    context ??= new AudioContext();
    const askedAt = Date.now();
    // Browsers suspend the audio context until the visitor has clicked on the page. Pending sounds would then all play
    // at once.
    await context.resume();
    if (Date.now() - askedAt > LATE_MS) return;
    for (const [frequency, start] of NOTES) addNote(context, frequency, context.currentTime + start);
  }

  return {
    isOn,
    turn(on: boolean): void {
      storage.write("local", "sound", on ? true : null);
      if (on) void play().catch(() => {});
    },
    /** Plays the sound for a message, in only one of the open tabs. */
    playFor(messageId: string): void {
      if (!isOn() || storage.read("local", "sounded") === messageId) return;
      storage.write("local", "sounded", messageId);
      void play().catch(() => {});
    },
  };
}

function addNote(context: AudioContext, frequency: number, at: number): void {
  const note = context.createOscillator();
  const volume = context.createGain();
  note.frequency.value = frequency;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(VOLUME, at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + NOTE_SECONDS);
  note.connect(volume).connect(context.destination);
  note.start(at);
  note.stop(at + NOTE_SECONDS);
}
