/** Exif data that begin with the TIFF header, and what in it tells about the photographer. */
export type PlantedExif = { tiff: Buffer; planted: Buffer[] };

type Entry = { tag: number; type: number; count: number; value: Buffer };

const ASCII = 2;
const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;

/**
 * Exif as cameras write it: the device, how it was held, a text, where the photo was taken, and a thumbnail, which
 * contains the text as well.
 */
export function plantExif({
  orientation,
  isLittle,
  text,
}: {
  orientation: number;
  isLittle: boolean;
  text: string;
}): PlantedExif {
  const u16 = (value: number) => {
    const bytes = Buffer.alloc(2);
    if (isLittle) bytes.writeUInt16LE(value);
    else bytes.writeUInt16BE(value);
    return bytes;
  };
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (isLittle) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const ascii = (tag: number, content: string): Entry => {
    const value = Buffer.from(`${content}\0`, "latin1");
    return { tag, type: ASCII, count: value.length, value };
  };
  const rationals = (tag: number, values: number[]): Entry => {
    const value = Buffer.concat(values.flatMap((part) => [u32(Math.round(part * 100)), u32(100)]));
    return { tag, type: RATIONAL, count: values.length, value };
  };
  const long = (tag: number, value: number): Entry => ({ tag, type: LONG, count: 1, value: u32(value) });
  /** A directory at this offset, followed by the values that do not fit into its entries. */
  const directory = (offset: number, entries: readonly Entry[], next: number): Buffer => {
    const rows: Buffer[] = [];
    const values: Buffer[] = [];
    let valueAt = offset + 2 + entries.length * 12 + 4;
    for (const { tag, type, count, value } of entries) {
      const isInline = value.length <= 4;
      const place = isInline ? Buffer.concat([value, Buffer.alloc(4 - value.length)]) : u32(valueAt);
      rows.push(u16(tag), u16(type), u32(count), place);
      if (isInline) continue;
      values.push(value);
      valueAt += value.length;
    }
    return Buffer.concat([u16(entries.length), ...rows, u32(next), ...values]);
  };

  const latitude = rationals(2, [53, 32, 33.21]);
  const longitude = rationals(4, [9, 58, 41.72]);
  const thumbnail = Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xfe]),
    Buffer.from(text),
    Buffer.from([0xff, 0xd9]),
  ]);
  const listed = (gps: number): Entry[] => [
    ascii(0x010f, "Harbour Cam"),
    { tag: 0x0112, type: SHORT, count: 1, value: u16(orientation) },
    ascii(0x0131, text),
    long(0x8825, gps),
  ];
  const preview = (at: number): Entry[] => [long(0x0201, at), long(0x0202, thumbnail.length)];
  const place: Entry[] = [ascii(1, "N"), latitude, ascii(3, "E"), longitude];
  const start = 8;
  const gpsAt = start + directory(start, listed(0), 0).length;
  const previewAt = gpsAt + directory(gpsAt, place, 0).length;
  const thumbnailAt = previewAt + directory(previewAt, preview(0), 0).length;
  const tiff = Buffer.concat([
    Buffer.from(isLittle ? "II*\0" : "MM\0*", "latin1"),
    u32(start),
    directory(start, listed(gpsAt), previewAt),
    directory(gpsAt, place, 0),
    directory(previewAt, preview(thumbnailAt), 0),
    thumbnail,
  ]);
  return { tiff, planted: [Buffer.from("Harbour Cam"), Buffer.from(text), latitude.value, longitude.value] };
}
