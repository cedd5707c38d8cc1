/** The host, with its port, whose limit a delivery to this URL counts towards. Empty for an invalid URL. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? "";
