/**
 * The header that passes the client's IP address to better-auth. better-auth never sees the client's own forwarding
 * headers.
 */
export const clientIpHeader = "x-client-ip";

export type Client = { ip: string; userAgent: string | undefined; cookies: string | undefined };
