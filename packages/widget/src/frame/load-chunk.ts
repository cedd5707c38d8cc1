import type { startAttachments } from "../attachments/mount-attachments.tsx";
import type { startForms } from "../forms/mount-form.tsx";
import type { startHandoff } from "../handoff/start-handoff.tsx";
import { loadAgain } from "../load-again.ts";
import type { Displays } from "../panel/panel-context.ts";
import type { startRating } from "../rating/mount-rating.tsx";

export const loadForms = (baseUrl: string): Promise<{ startForms: typeof startForms }> =>
  import("../forms/mount-form.tsx").catch(() => loadAgain(baseUrl, "mount-form"));

export const loadDisplays = (baseUrl: string): Promise<Displays> =>
  import("../display/mount-display.tsx").catch(() => loadAgain(baseUrl, "mount-display"));

export const loadAttachments = (baseUrl: string): Promise<{ startAttachments: typeof startAttachments }> =>
  import("../attachments/mount-attachments.tsx").catch(() => loadAgain(baseUrl, "mount-attachments"));

export const loadRating = (baseUrl: string): Promise<{ startRating: typeof startRating }> =>
  import("../rating/mount-rating.tsx").catch(() => loadAgain(baseUrl, "mount-rating"));

export const loadHandoff = (baseUrl: string): Promise<{ startHandoff: typeof startHandoff }> =>
  import("../handoff/start-handoff.tsx").catch(() => loadAgain(baseUrl, "start-handoff"));
