/** The header that carries the client's address to better-auth. It never receives the client's own headers. */
export const clientIpHeader = "x-client-ip";

/** The browser that signs in. */
export type Client = { ip: string; userAgent: string | undefined; cookies: string | undefined };
