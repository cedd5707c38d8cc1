import { crc32, deflateSync } from "node:zlib";
import { plantExif } from "./planted-exif.ts";

/** A picture with metadata in it. `planted` lists the bytes that must not reach anybody. */
export type PlantedPicture = {
  name: string;
  type: string;
  bytes: Buffer;
  planted: Buffer[];
  /** the size of the upright picture */
  width: number;
  height: number;
};

/** What a place of a format adds to a picture, and what is planted in it. */
type Planting = { bytes: Buffer; planted: Buffer[] };
type Metadata = { text: string; orientation: number; isLittle: boolean };
type Place = (metadata: Metadata) => Planting;
type Assemble = (plantings: Map<string, Buffer>, isAnimated: boolean) => Buffer;
type Format = { type: string; extension: string; places: Record<string, Place>; assemble: Assemble };

const WIDTH = 24;
const HEIGHT = 16;
const PICTURES_PER_FORMAT = 50;

const latin1 = (...parts: Array<string | Buffer>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
const le16 = (value: number) => Buffer.from([value & 0xff, value >> 8]);
const be16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const le24 = (value: number) => Buffer.concat([le16(value & 0xffff), Buffer.from([value >> 16])]);
const be32 = (value: number) => Buffer.concat([be16(value >>> 16), be16(value & 0xffff)]);
const le32 = (value: number) => be32(value).reverse();

/** A place that contains a text, in a container that `wrap` adds. */
const textPlace =
  (wrap: (text: string) => Buffer, planted: (text: string) => Buffer = (text) => Buffer.from(text)): Place =>
  ({ text }) => ({ bytes: wrap(text), planted: [planted(text)] });
const exifPlace =
  (wrap: (tiff: Buffer) => Buffer): Place =>
  (metadata) => {
    const { tiff, planted } = plantExif(metadata);
    return { bytes: wrap(tiff), planted };
  };
const xmp = (text: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="53,32.55N" exif:UserComment="${text}"/></rdf:RDF></x:xmpmeta>`;
/** Metadata of IPTC in a resource of Photoshop: the city and the author. */
const iptc = (text: string) => {
  const records = [90, 80].map((record) => latin1(Buffer.from([0x1c, 2, record]), be16(text.length), text));
  const data = Buffer.concat(records);
  return latin1("8BIM\x04\x04\0\0", be32(data.length), data);
};

function segment(marker: number, ...parts: Array<string | Buffer>): Buffer {
  const body = latin1(...parts);
  return Buffer.concat([Buffer.from([0xff, marker]), be16(body.length + 2), body]);
}

const jpegPicture = Buffer.from(
  "/9j/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAID/8QAGRAAAgMBAAAAAAAAAAAAAAAAAAECAxFx/8QAFgEBAQEAAAAAAAAAAAAAAAAAAwEC/8QAGBEBAAMBAAAAAAAAAAAAAAAAABESITH/2gAMAwEAAhEDEQA/AIsnYptR3OCudjmlLc4bgG2cJAADKv/Z",
  "base64",
);

const jpeg: Format = {
  type: "image/jpeg",
  extension: "jpg",
  places: {
    exif: exifPlace((tiff) => segment(0xe1, "Exif\0\0", tiff)),
    jfif: textPlace((text) => segment(0xe0, "JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01", text)),
    jfxx: textPlace((text) => segment(0xe0, "JFXX\0\x10", text)),
    xmp: textPlace((text) => segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", xmp(text))),
    extendedXmp: textPlace((text) => segment(0xe1, "http://ns.adobe.com/xmp/extension/\0", "0".repeat(40), xmp(text))),
    iptc: textPlace((text) => segment(0xed, "Photoshop 3.0\0", iptc(text))),
    comment: textPlace((text) => segment(0xfe, text)),
    morePictures: textPlace((text) => segment(0xe2, "MPF\0", text)),
    flashpix: textPlace((text) => segment(0xe2, "FPXR\0", text)),
    meta: textPlace((text) => segment(0xe3, "Meta\0\0", text)),
    provenance: textPlace((text) => segment(0xeb, "JP\0\0", text)),
    ducky: textPlace((text) => segment(0xec, "Ducky", text)),
    adobe: textPlace((text) => segment(0xee, "Adobe\0\x64\0\0\0\0\x01", text)),
    beforeScan: textPlace((text) => segment(0xef, text)),
    after: textPlace((text) => latin1("ftypmp42", text)),
  },
  assemble(plantings) {
    const scan = jpegPicture.indexOf(Buffer.from([0xff, 0xda]));
    const take = (name: string) => plantings.get(name) ?? Buffer.alloc(0);
    const others = [...plantings].flatMap(([name, bytes]) => (["beforeScan", "after"].includes(name) ? [] : [bytes]));
    return Buffer.concat([
      jpegPicture.subarray(0, 2),
      ...others,
      jpegPicture.subarray(2, scan),
      take("beforeScan"),
      jpegPicture.subarray(scan),
      take("after"),
    ]);
  },
};

function pngChunk(type: string, ...parts: Array<string | Buffer>): Buffer {
  const body = latin1(type, ...parts);
  return Buffer.concat([be32(body.length - 4), body, be32(crc32(body))]);
}

const deflated = (text: string) => deflateSync(Buffer.from(text));
const pngHeader = latin1("\x89PNG\r\n\x1a\n", pngChunk("IHDR", be32(WIDTH), be32(HEIGHT), "\x08\x02\0\0\0"));
/** The pixels of a picture in one color, each row after its filter. */
const pngPixels = (red: number) =>
  deflateSync(Buffer.concat(Array.from({ length: HEIGHT }, () => Buffer.alloc(1 + WIDTH * 3).fill(red, 1))));
const pngFrame = (sequence: number) =>
  pngChunk("fcTL", be32(sequence), be32(WIDTH), be32(HEIGHT), be32(0), be32(0), be16(1), be16(10), "\0\0");

const png: Format = {
  type: "image/png",
  extension: "png",
  places: {
    exif: exifPlace((tiff) => pngChunk("eXIf", tiff)),
    text: textPlace((text) => pngChunk("tEXt", `Comment\0${text}`)),
    compressed: textPlace((text) => pngChunk("zTXt", "Author\0\0", deflated(text)), deflated),
    international: textPlace((text) => pngChunk("iTXt", `Title\0\0\0\0\0${text}`)),
    xmp: textPlace((text) => pngChunk("iTXt", `XML:com.adobe.xmp\0\0\0\0\0${xmp(text)}`)),
    rawProfile: textPlace(
      (text) => pngChunk("tEXt", `Raw profile type iptc\0\niptc\n${text.length}\n${Buffer.from(text).toString("hex")}`),
      (text) => Buffer.from(Buffer.from(text).toString("hex")),
    ),
    private: textPlace((text) => pngChunk("prVt", text)),
    provenance: textPlace((text) => pngChunk("caBX", text)),
    afterPixels: textPlace((text) => pngChunk("tEXt", `Location\0${text}`)),
    after: textPlace((text) => Buffer.from(text)),
  },
  assemble(plantings, isAnimated) {
    const take = (name: string) => plantings.get(name) ?? Buffer.alloc(0);
    const early = [...plantings].flatMap(([name, bytes]) => (["afterPixels", "after"].includes(name) ? [] : [bytes]));
    return Buffer.concat([
      pngHeader,
      ...early,
      ...(isAnimated ? [pngChunk("acTL", be32(2), be32(0)), pngFrame(0)] : []),
      pngChunk("IDAT", pngPixels(200)),
      ...(isAnimated ? [pngFrame(1), pngChunk("fdAT", be32(2), pngPixels(90))] : []),
      take("afterPixels"),
      pngChunk("IEND"),
      take("after"),
    ]);
  },
};

/** Blocks of at most 255 bytes, each after its length, with an empty one at the end. */
function gifBlocks(data: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}

const gifExtension = (label: number, ...blocks: Buffer[]) =>
  Buffer.concat([Buffer.from([0x21, label]), ...blocks, Buffer.from([0])]);
const gifBlock = (data: string | Buffer) => latin1(Buffer.from([data.length]), data);
const gifApplication = (name: string, text: string) =>
  Buffer.concat([Buffer.from([0x21, 0xff]), gifBlock(name), gifBlocks(Buffer.from(text))]);
/** A frame in one color. Codes have eight bits, because the table is cleared before it needs longer ones. */
function gifFrame(color: number): Buffer {
  const codes: number[] = [];
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    if (pixel % 100 === 0) codes.push(128);
    codes.push(color);
  }
  return Buffer.concat([
    latin1("!\xf9\x04\0\x0a\0\0\0"),
    latin1(",", le16(0), le16(0), le16(WIDTH), le16(HEIGHT), "\0\x07"),
    gifBlocks(Buffer.from([...codes, 129])),
  ]);
}
const gifHeader = latin1(
  "GIF89a",
  le16(WIDTH),
  le16(HEIGHT),
  "\xf6\0\0",
  Buffer.from(Array.from({ length: 128 * 3 }, (_, byte) => byte & 0xff)),
);

const gif: Format = {
  type: "image/gif",
  extension: "gif",
  places: {
    comment: textPlace((text) => gifExtension(0xfe, gifBlock(text))),
    // XMP is not in blocks. A trailer makes readers that do not know it find the end.
    xmp: textPlace((text) =>
      latin1(
        "!\xff\x0bXMP DataXMP",
        xmp(text),
        "\x01",
        Buffer.from(Array.from({ length: 256 }, (_, byte) => 255 - byte)),
        "\0",
      ),
    ),
    application: textPlace((text) => gifApplication("HARBOUR 1.0", text)),
    iptc: textPlace((text) => gifApplication("MGK8BIM0000", text)),
    plainText: textPlace((text) =>
      gifExtension(0x01, gifBlock(Buffer.from([0, 0, 0, 0, 8, 0, 8, 0, 8, 8, 1, 0])), gifBlock(text)),
    ),
    betweenFrames: textPlace((text) => gifExtension(0xfe, gifBlock(text))),
    afterFrames: textPlace((text) => gifExtension(0xfe, gifBlock(text))),
    after: textPlace((text) => Buffer.from(text)),
  },
  assemble(plantings, isAnimated) {
    const take = (name: string) => plantings.get(name) ?? Buffer.alloc(0);
    const late = ["betweenFrames", "afterFrames", "after"];
    const early = [...plantings].flatMap(([name, bytes]) => (late.includes(name) ? [] : [bytes]));
    return Buffer.concat([
      gifHeader,
      ...(isAnimated ? [latin1("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")] : []),
      ...early,
      gifFrame(100),
      take("betweenFrames"),
      ...(isAnimated ? [gifFrame(20)] : []),
      take("afterFrames"),
      latin1(";"),
      take("after"),
    ]);
  },
};

const webpChunk = (type: string, data: string | Buffer) =>
  latin1(type, le32(data.length), data, Buffer.alloc(data.length % 2));
/** The chunk of a compressed picture. */
const webpPicture = Buffer.from(
  "VlA4IFIAAABwAwCdASoYABAAP3Ggxlk0q6ejsAgCkC4JaAC7LwABo8yPrAAAzgiNCDcNR6JUV10221tMMq8/pIa2cFnB82HsHSy1YUDFKtpVZh9QcI+Q8AAA",
  "base64",
);
const webpFrame = (...chunks: Buffer[]) =>
  webpChunk(
    "ANMF",
    Buffer.concat([le24(0), le24(0), le24(WIDTH - 1), le24(HEIGHT - 1), le24(100), Buffer.from([0]), ...chunks]),
  );

const webp: Format = {
  type: "image/webp",
  extension: "webp",
  places: {
    exif: exifPlace((tiff) => webpChunk("EXIF", tiff)),
    exifWithPrefix: exifPlace((tiff) => webpChunk("EXIF", latin1("Exif\0\0", tiff))),
    xmp: textPlace((text) => webpChunk("XMP ", xmp(text))),
    unknown: textPlace((text) => webpChunk("PRIV", text)),
    provenance: textPlace((text) => webpChunk("C2PA", text)),
    inFrame: textPlace((text) => webpChunk("PRIV", text)),
    after: textPlace((text) => Buffer.from(text)),
  },
  assemble(plantings, isAnimated) {
    const take = (name: string) => plantings.get(name) ?? Buffer.alloc(0);
    const late = ["inFrame", "after"];
    const metadata = [...plantings].flatMap(([name, bytes]) => (late.includes(name) ? [] : [bytes]));
    const picture = isAnimated
      ? [webpChunk("ANIM", Buffer.alloc(6)), webpFrame(webpPicture, take("inFrame")), webpFrame(webpPicture)]
      : [webpPicture, take("inFrame")];
    const flags = 0x0c | (isAnimated ? 0x02 : 0);
    const header = webpChunk("VP8X", Buffer.concat([Buffer.from([flags, 0, 0, 0]), le24(WIDTH - 1), le24(HEIGHT - 1)]));
    const body = Buffer.concat([Buffer.from("WEBP"), header, ...picture, ...metadata]);
    return Buffer.concat([Buffer.from("RIFF"), le32(body.length), body, take("after")]);
  },
};

/** 200 pictures: first each place of each format alone, then several together, still and animated. */
export function plantPictures(): PlantedPicture[] {
  return [jpeg, png, gif, webp].flatMap((format) =>
    Array.from({ length: PICTURES_PER_FORMAT }, (_, number) => plantPicture(format, number)),
  );
}

function plantPicture({ type, extension, places, assemble }: Format, number: number): PlantedPicture {
  const names = Object.keys(places);
  const chosen = names.filter((_, place) => isPlanted({ number, place, places: names.length }));
  const orientation = 1 + (number % 8);
  const plantings = new Map<string, Buffer>();
  const planted: Buffer[] = [];
  for (const name of chosen) {
    const text = `planted ${extension} ${number} ${name} 53.5426 9.9783`;
    const planting = places[name]?.({ text, orientation, isLittle: number % 2 === 0 });
    if (!planting) continue;
    plantings.set(name, planting.bytes);
    planted.push(...planting.planted);
  }
  const isTurned = orientation >= 5 && chosen.some((name) => name.startsWith("exif"));
  return {
    name: `${extension}-${number}.${extension}`,
    type,
    bytes: assemble(plantings, number % 3 === 1),
    planted,
    width: isTurned ? HEIGHT : WIDTH,
    height: isTurned ? WIDTH : HEIGHT,
  };
}

function isPlanted({ number, place, places }: { number: number; place: number; places: number }): boolean {
  if (number < places) return number === place;
  if (number === PICTURES_PER_FORMAT - 1) return true;
  // Two multipliers without a common factor choose other places for each picture, and at least one.
  return (number * 7 + place * 5) % 3 === 0 || number % places === place;
}
