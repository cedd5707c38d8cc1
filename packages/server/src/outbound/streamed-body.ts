/** A request's body that is read piece by piece while it is sent. Its size is known, because some servers need it. */
export class StreamedBody {
  readonly bytes: number;
  readonly read: () => AsyncIterable<Uint8Array>;

  constructor(bytes: number, read: () => AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
    this.read = read;
  }
}
