import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { declaredType, MAX_FILE_BYTES, parseDataUrl } from "./data-url.ts";

describe("parseDataUrl", () => {
  it.each([
    ["data:text/plain;base64,SGk=", { mediaType: "text/plain", base64: "SGk=", size: 2 }],
    ["data:text/plain;base64,", { mediaType: "text/plain", base64: "", size: 0 }],
    ["data:text/plain;base64,QQ==", { mediaType: "text/plain", base64: "QQ==", size: 1 }],
    ["data:text/plain;base64,+/+/", { mediaType: "text/plain", base64: "+/+/", size: 3 }],
    ["DATA:Image/PNG;BASE64,QUJD", { mediaType: "image/png", base64: "QUJD", size: 3 }],
    ["data:text/plain;charset=utf-8;name=a.txt;base64,QUJD", { mediaType: "text/plain", base64: "QUJD", size: 3 }],
    ["data:;base64,QUJD", { mediaType: "", base64: "QUJD", size: 3 }],
    ["data:a;base64;base64,QUJD", { mediaType: "a", base64: "QUJD", size: 3 }],
  ])("parses %s", (text, parts) => {
    expect(parseDataUrl(text)).toEqual(parts);
  });

  it.each([
    "",
    "QUJD",
    "data:",
    "data:text/plain,Hi",
    "data:text/plain;base64",
    "data:text/plain;base64 ,QUJD",
    "data:base64,QUJD",
    "data:text/plain;x=a,b;base64,QUJD",
    " data:text/plain;base64,QUJD",
    "blob:text/plain;base64,QUJD",
    "data:text/plain;base64,QUI",
    "data:text/plain;base64,QUJD\n",
    "data:text/plain;base64,QU JD",
    "data:text/plain;base64,QU-_",
    "data:text/plain;base64,QUJ=QUJD",
    "data:text/plain;base64,Q===",
    "data:text/plain;base64,====",
    "data:text/plain;base64,=",
    "data:text/plain;base64,QUJé",
    `data:${"a".repeat(501)};base64,QUJD`,
  ])("refuses %j", (text) => {
    expect(parseDataUrl(text)).toBeNull();
  });

  it("accepts 500 characters before the marker", () => {
    expect(parseDataUrl(`data:${"a".repeat(500)};base64,QUJD`)?.size).toBe(3);
  });

  it("returns the size after decoding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString("base64");
        expect(parseDataUrl(`data:x/y;base64,${base64}`)).toEqual({ mediaType: "x/y", base64, size: bytes.length });
      }),
    );
  });

  it("refuses what decoding and encoding would change, except for the last bits", () => {
    const piece = fc.oneof(fc.constantFrom("QUJD", "QQ==", "QUI=", "=", "A", "-", "_", " ", "\n", "+/"), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const bytes = Buffer.from(text, "base64");
        const isWhole = bytes.toString("base64").length === text.length && /^[\w+/]*={0,2}$/.test(text);
        const parsed = parseDataUrl(`data:x/y;base64,${text}`);
        expect(parsed?.size).toBe(isWhole && !text.includes("_") ? bytes.length : undefined);
      }),
    );
  });

  it.each(["A", "=", "A=", "data:", ";base64", "a;", ","])(
    "reads seven million characters of %j in linear time",
    (piece) => {
      const long = piece.repeat(7_000_000 / piece.length);
      for (const text of [long, `data:${long}`, `data:a/b;base64,${long}!`]) expect(parseDataUrl(text)).toBeNull();
    },
  );

  it("reads a file of exactly 5 MiB and finds an error at its very end", () => {
    expect(MAX_FILE_BYTES).toBe(5_242_880);
    // The three sizes around the limit have the same encoded length and differ only in their padding.
    const text = `data:a/b;base64,${"AAAA".repeat(Math.ceil(MAX_FILE_BYTES / 3) - 1)}`;
    expect(parseDataUrl(`${text}AA==`)?.size).toBe(MAX_FILE_BYTES - 1);
    expect(parseDataUrl(`${text}AAA=`)?.size).toBe(MAX_FILE_BYTES);
    expect(parseDataUrl(`${text}AAAA`)?.size).toBe(MAX_FILE_BYTES + 1);
    expect(parseDataUrl(`${text}AAA!`)).toBeNull();
  });
});

describe("declaredType", () => {
  it.each([
    ["data:image/png;base64,", "image/png"],
    ["data: IMAGE/PNG ;name=a;base64,", "image/png"],
    ["data:image/png,", "image/png"],
    ["data:;base64,", ""],
  ])("of %j is %j", (prefix, type) => {
    expect(declaredType(prefix)).toBe(type);
  });
});
