import { describe, expect, it } from "vitest";
import { hasRemoteImages, keepImagesFrom } from "./display-images.ts";
import { fillDisplay } from "./fill-display.ts";

const imageOf = (image: string) =>
  fillDisplay({ image, name: "Bike" }, { type: "product_card", fieldMappings: { image: "image", title: "name" } });
const data = "data:image/png;base64,iVBORw0KGgo=";

describe("images of a display", () => {
  it.each([
    ["https://cdn.example/1.png", true],
    ["https://CDN.example:443/1.png", true],
    ["https://cdn.example:8443/1.png", true],
    ["https://bücher.example/1.png", true],
    [data, true],
    ["https://evil.example/1.png", false],
    ["https://cdn.example.evil.example/1.png", false],
    ["https://evil.example/?cdn.example", false],
    ["https://evil.example#cdn.example", false],
    ["https://sub.cdn.example/1.png", false],
    ["https://cdn.example:444/1.png", false],
    ["https:\\\\evil.example\\@cdn.example/1.png", false],
  ])("are shown when their host is allowed: %s, %s", (image, isShown) => {
    const allowed = keepImagesFrom(imageOf(image), ["cdn.example", "cdn.example:8443", "xn--bcher-kva.example"]);
    expect(allowed.slots).toEqual(isShown ? imageOf(image).slots : { title: "Bike" });
  });

  it("are all shown when no host is listed", () => {
    expect(keepImagesFrom(imageOf("https://any.example/1.png"), [])).toEqual(imageOf("https://any.example/1.png"));
  });

  it("are also removed from custom displays, leaving nothing when there is only an image", () => {
    const image = { image: "https://evil.example/1.png" };
    for (const type of ["image", "custom"] as const) {
      const display = fillDisplay(image, { type, fieldMappings: { image: "image" } });
      expect(keepImagesFrom(display, ["cdn.example"])).toEqual({ type, slots: {}, options: {} });
    }
  });

  it("are detected only if there are any", () => {
    const carousel = (...photos: string[]) =>
      fillDisplay(
        photos.map((photo) => ({ photo, name: "Bike" })),
        { type: "product_carousel", fieldMappings: { image: "photo", title: "name" } },
      );
    expect(hasRemoteImages(imageOf("https://cdn.example/1.png"))).toBe(true);
    expect(hasRemoteImages(carousel(data, "https://cdn.example/1.png"))).toBe(true);
    for (const display of [imageOf(data), imageOf("nothing"), carousel(data), carousel(), fillDisplay("text", null)]) {
      expect(hasRemoteImages(display)).toBe(false);
    }
  });
});
