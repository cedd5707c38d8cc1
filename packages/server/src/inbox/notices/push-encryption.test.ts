import { createECDH } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createPushBrowser, decryptPush } from "../../../../../test/push-service.ts";
import { arePushKeys, encryptPush, MAX_PUSH_BYTES } from "./push-encryption.ts";

describe("a push message", () => {
  it("is encrypted as in the example of RFC 8291", () => {
    const pair = createECDH("prime256v1");
    pair.setPrivateKey(Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"));
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const salt = Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url");
    const message = Buffer.from("When I grow up, I want to be a watermelon");
    expect(encryptPush(keys, message, { pair, salt }).toString("base64url")).toBe(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
  });

  it("can be read by its browser alone, and has a size that push services accept", () => {
    const [browser, other] = [createPushBrowser(), createPushBrowser()];
    const longest = Buffer.alloc(MAX_PUSH_BYTES, "a");
    const body = encryptPush(browser.keys, longest);
    expect(body.length).toBe(4_096);
    expect(decryptPush(browser, body).equals(longest)).toBe(true);
    expect(() => decryptPush(other, body)).toThrow();
    expect(() => encryptPush(browser.keys, Buffer.concat([longest, longest]))).toThrow("at most 3993 bytes");
  });

  it("cannot be encrypted with invalid keys", () => {
    const { keys } = createPushBrowser();
    expect(arePushKeys(keys)).toBe(true);
    const notOnTheCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString("base64url");
    for (const wrong of [{ p256dh: notOnTheCurve }, { p256dh: keys.auth }, { auth: "AAAA" }, { auth: keys.p256dh }]) {
      expect(arePushKeys({ ...keys, ...wrong }), JSON.stringify(wrong)).toBe(false);
    }
  });
});
