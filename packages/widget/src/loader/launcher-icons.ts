/** The launcher's icons as paths in a 24 x 24 box. The contract lists the same names. */
export const launcherIcons = {
  chat: ["M12 4a8 8 0 1 1-3.6 15.14L4 20.5l1.07-4.5A8 8 0 0 1 12 4z"],
  message: [
    "M5 4h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z",
    "M7.5 8.5h9",
    "M7.5 12.5h6",
  ],
  question: [
    "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z",
    "M9.3 9.3a2.8 2.8 0 1 1 4.2 2.4c-1 .6-1.5 1.1-1.5 2.1",
    "M12 16.9v.1",
  ],
  sparkle: ["M12 3l2.2 6.8 6.8 2.2-6.8 2.2-2.2 6.8-2.2-6.8-6.8-2.2 6.8-2.2z"],
  lamp: ["M12 2v3", "M2.5 12.5a9.5 7.5 0 0 1 19 0z", "M6.5 13.5h11l4 9h-19z"],
} as const;

export type LauncherIcon = keyof typeof launcherIcons;

export const iconNames = Object.keys(launcherIcons) as LauncherIcon[];
