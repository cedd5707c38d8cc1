import { describe, expect, it } from "vitest";
import { AppError } from "../../errors.ts";
import { checkHeaders } from "./header-rules.ts";

function readDetail(headers: Record<string, string>) {
  try {
    checkHeaders("httpHeaders", headers);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).status).toBe(400);
    return (error as AppError).details?.[0];
  }
  return undefined;
}

describe("checkHeaders", () => {
  it.each([
    {},
    { Authorization: "Bearer {{API_KEY}}", "X-Trace_1.~": "" },
    { "!#$%&'*+-.^_`|~": "every character that a name may have" },
    { Accept: "text/plain; q=0.5", "X-Name": "Zoë" },
    { "Content-Type": "application/json", Hostname: "x", "Proxying-No": "x", "X-Proxy-By": "x" },
  ])("accepts %j", (headers) => {
    expect(readDetail(headers as Record<string, string>)).toBeUndefined();
  });

  it.each(
    [
      "Host",
      "HOST",
      "content-length",
      "Transfer-Encoding",
      "Connection",
      "keep-alive",
      "TE",
      "Trailer",
      "Upgrade",
    ].concat(["Expect", "Proxy-Authorization", "proxy-connection", "Proxy-"]),
  )("refuses %s", (name) => {
    expect(readDetail({ Accept: "x", [name]: "x" })).toMatchObject({
      path: `httpHeaders.${name}`,
      message: "is set by the server and cannot be configured",
    });
  });

  it.each(["", " ", "X Y", "X:", "X\r\nY", "X\0", "Ünï", "(x)", "a,b", "a/b", 'a"b', "{{NAME}}"])(
    "refuses the name %j",
    (name) => {
      const detail = readDetail({ [name]: "x" });
      expect(detail?.message).toMatch(/header name/);
      expect(detail?.path).toMatch(/^httpHeaders\.[ -~]*$/);
    },
  );

  it("refuses a name that objects cannot store", () => {
    expect(readDetail(JSON.parse('{"__proto__":"x"}'))?.path).toBe("httpHeaders.__proto__");
  });

  it.each(["a\r\nHost: b", "a\nb", "a\rb", "a\0", "a\tb", "\u007f", "\u0001", "☃", "🙂", "\u2028"])(
    "refuses the value %j",
    (value) => {
      expect(readDetail({ "X-A": value })).toMatchObject({
        path: "httpHeaders.X-A",
        message: expect.stringContaining("control characters"),
      });
    },
  );

  it("refuses the same name in different case", () => {
    expect(readDetail({ "X-A": "1", "x-a": "2" })).toMatchObject({ path: "httpHeaders.x-a", message: "occurs twice" });
  });

  it("accepts 50 headers with names of 200 and values of 4,000 characters", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, ""]));
    expect(readDetail(many(50))).toBeUndefined();
    expect(readDetail(many(51))?.path).toBe("httpHeaders");
    expect(readDetail({ ["x".repeat(200)]: "y".repeat(4_000) })).toBeUndefined();
    expect(readDetail({ ["x".repeat(201)]: "" })?.message).toMatch(/200/);
    expect(readDetail({ x: "y".repeat(4_001) })?.message).toMatch(/4000/);
  });
});
