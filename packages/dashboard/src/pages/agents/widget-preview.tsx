import { useRef, useState } from "react";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { type PreviewedWidget, useSize, WidgetFrame } from "../../components/widget-frame.tsx";
import { useColorScheme } from "../../data/theme.ts";

const sizes = { desktop: 800, phone: 390 } as const;
const PHONE_HEIGHT = 760;

/** The real widget with unsaved settings. It is fully usable. */
export function WidgetPreview({
  agentId,
  hasDraft,
  ...unsaved
}: Omit<PreviewedWidget, "theme" | "trigger"> & { agentId: string; hasDraft: boolean }) {
  const [device, setDevice] = useState<keyof typeof sizes>("desktop");
  const [theme, setTheme] = useState(useColorScheme());
  const stage = useRef<HTMLDivElement>(null);
  const room = useSize(stage);
  const isPhone = device === "phone";
  const scale = isPhone
    ? Math.min(1, room.height / PHONE_HEIGHT, room.width / sizes.phone)
    : Math.min(1, room.width / sizes.desktop);
  const height = isPhone ? PHONE_HEIGHT : room.height / scale;
  const width = isPhone ? sizes.phone : Math.max(sizes.desktop, room.width);
  return (
    <section aria-label="Preview" className="grid min-w-0 content-start gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl
          label="Screen"
          value={device}
          onChange={setDevice}
          options={[
            { value: "desktop", label: "Desktop" },
            { value: "phone", label: "Phone" },
          ]}
        />
        <SegmentedControl
          label="Page"
          value={theme}
          onChange={setTheme}
          options={[
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
      </div>
      <div
        ref={stage}
        className="relative h-[34rem] overflow-hidden rounded-lg border border-line bg-sunken lg:h-[calc(100dvh-13rem)] lg:min-h-96"
      >
        {room.width > 0 && (
          <WidgetFrame
            key={device}
            agentId={agentId}
            title={`Widget preview, ${isPhone ? "phone" : "desktop"}`}
            shown={{ ...unsaved, theme }}
            width={width}
            height={height}
            scale={scale}
            className={isPhone ? "border-x" : ""}
          />
        )}
      </div>
      <p className="text-sm text-soft">
        This is the real widget with your unsaved changes. You can use it; test messages are stored as a conversation.
        {hasDraft && " Replies use the draft."}
      </p>
    </section>
  );
}
