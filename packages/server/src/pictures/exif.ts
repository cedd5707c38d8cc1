const ORIENTATION = 0x0112;
const SHORT = 3;
/** The maximum number of entries that are searched for the orientation. */
const MAX_ENTRIES = 512;

/** Reads the orientation from Exif data that begin with the TIFF header. @returns 1 when there is none */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString("latin1", 0, 4);
  const isLittle = order === "II*\0";
  if (!isLittle && order !== "MM\0*") return 1;
  const u16 = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (at + 4 > tiff.length ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directory = u32(4);
  const entries = Math.min(u16(directory), MAX_ENTRIES);
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * 12;
    if (u16(at) !== ORIENTATION || u16(at + 2) !== SHORT) continue;
    const value = u16(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Creates Exif data with the orientation and nothing else, beginning with the TIFF header. */
export function createOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write("MM\0*", "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION, 10);
  tiff.writeUInt16BE(SHORT, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
