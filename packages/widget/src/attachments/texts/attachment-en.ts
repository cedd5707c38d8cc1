/** The texts about pictures and files. `interpolate` replaces placeholders such as `{name}`. */
export const texts = {
  attach: "Attach a picture or file",
  drop: "Drop files here",
  remove: "Remove {name}",
  preparing: "Preparing {name}",
  uploading: "Uploading {name}",
  offline: "The connection was lost. The upload continues when you're back online.",
  failed: "The upload failed. Please try again in a moment.",
  notAllowed: "Files can't be sent right now.",
  tooMany: "You can attach up to {count} files to a message.",
  tooLarge: "This file is too large. The limit is {size}.",
  tooLargeTogether: "The files are too large together. The limit is {size}.",
  unsupported: "This type of file can't be sent. You can send {types}.",
  heic: "This browser can't open HEIC pictures. Save the picture as JPEG and attach it again.",
  unreadable: "This picture can't be opened.",
  damaged: "This file can't be read. It may be damaged.",
  expired: "This file is no longer available. Attach it again.",
  open: "Open picture {name}",
  download: "Download {name}",
  viewer: "Pictures",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  notLoaded: "{name} couldn't be loaded.",
  pictureNotSeen: "{name} couldn't see your picture, so this reply doesn't consider it.",
};

export type AttachmentTexts = { readonly [Key in keyof typeof texts]: string };
