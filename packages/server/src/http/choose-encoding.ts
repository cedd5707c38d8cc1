export type Encoding = "br" | "gzip";

/** The smallest encoding that the client accepts; null for none. */
export function chooseEncoding(acceptEncoding = ""): Encoding | null {
  const accepted = acceptEncoding.split(",").map((part) => part.trim().toLowerCase());
  const accepts = (name: string) =>
    accepted.some((part) => new RegExp(`^${name}(;\\s*q=(?!0(\\.0*)?$).*)?$`).test(part));
  if (accepts("br")) return "br";
  return accepts("gzip") ? "gzip" : null;
}
