/** Milliseconds since 1970. */
export type Instant = number;

export type Flag = 0 | 1;

/** JSON as text. */
export type Json = string;
