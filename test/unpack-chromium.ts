import chromium from "@sparticuz/chromium";

// Unpacks the browser into the temporary folder. `chromium.ts` runs this as a process of its own, with a new folder.
await chromium.executablePath();
