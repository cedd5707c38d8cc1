/**
 * The header that passes the client's IP address to better-auth, which never sees the client's own forwarding headers.
 */
export const clientIpHeader = "x-client-ip";

export type Client = { ip: string; userAgent: string | undefined; cookies: string | undefined };
