/**
 * The maximum size of a logo, avatar or launcher image in bytes. Every page with the widget loads the launcher's image.
 */
export const MAX_AGENT_IMAGE_BYTES = 256 * 1024;
