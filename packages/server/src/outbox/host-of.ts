/**
 * Returns the host, with its port, for which the concurrency limit applies to a delivery to this URL. Returns an empty
 * string for an invalid URL.
 */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

/** The host of every email, because all of them are sent through one mail server. */
export const MAIL_HOST = "mail";
