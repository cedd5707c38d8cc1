import { widgetLimits } from "@foyer/contract/rules/limits";
import { NumberField, Select, TextField } from "../../components/field.tsx";
import { ImageField } from "./image-field.tsx";
import type { WidgetDraft } from "./widget-draft.ts";

/** The images in the form: a saved path, an unsaved data URL, or null. */
export type ImageDraft = { logo: string | null; avatar: string | null; launcher: string | null };

export type AppearanceFieldsProps = {
  values: WidgetDraft & ImageDraft;
  onChange: (part: Partial<WidgetDraft & ImageDraft>) => void;
  errorAt: (field: string) => string | undefined;
};

const SQUARE = { width: 256, height: 256 };

/** The fields of the launcher, the button in the corner of the page. */
export function LauncherFields({ values, onChange, errorAt }: AppearanceFieldsProps) {
  return (
    <>
      <Select
        label="Icon"
        value={values.launcherIcon}
        onChange={(launcherIcon) => onChange({ launcherIcon })}
        options={[
          { value: "chat", label: "Speech bubble" },
          { value: "message", label: "Message" },
          { value: "question", label: "Question mark" },
          { value: "sparkle", label: "Sparkle" },
          { value: "lamp", label: "Logo" },
        ]}
      />
      <ImageField
        label="Launcher image"
        help="Replaces the icon."
        value={values.launcher}
        maxSize={SQUARE}
        isRound
        onChange={(launcher) => onChange({ launcher })}
      />
      <TextField
        label="Label"
        autoComplete="off"
        placeholder="None"
        help="Shown next to the icon, such as “Ask us”."
        value={values.launcherLabel}
        onChange={(launcherLabel) => onChange({ launcherLabel })}
        error={errorAt("launcherLabel")}
      />
      <Select
        label="Position"
        value={values.position}
        onChange={(position) => onChange({ position })}
        options={[
          { value: "right", label: "Bottom right" },
          { value: "left", label: "Bottom left" },
        ]}
      />
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label="Pixels from the side"
          placeholder="20"
          min={0}
          max={widgetLimits.offset}
          value={values.offsetX}
          onChange={(offsetX) => onChange({ offsetX })}
          error={errorAt("offsetX")}
        />
        <NumberField
          label="Pixels from the bottom"
          placeholder="20"
          min={0}
          max={widgetLimits.offset}
          value={values.offsetY}
          onChange={(offsetY) => onChange({ offsetY })}
          error={errorAt("offsetY")}
        />
      </div>
    </>
  );
}

/** The fields of the agent's face and images. */
export function ImageFields({ values, onChange }: Pick<AppearanceFieldsProps, "values" | "onChange">) {
  return (
    <>
      <Select
        label="Face"
        help="Shown at the top of the chat and beside the agent's replies."
        value={values.face}
        onChange={(face) => onChange({ face })}
        options={[
          { value: "image", label: "Avatar, or the lamp without one" },
          { value: "initials", label: "Initials" },
          { value: "lamp", label: "Lamp" },
          { value: "none", label: "None" },
        ]}
      />
      <ImageField
        label="Logo"
        help="Shown at the top of the chat instead of the face."
        value={values.logo}
        maxSize={{ width: 560, height: 112 }}
        onChange={(logo) => onChange({ logo })}
      />
      <ImageField
        label="Avatar"
        help="The agent's face in the chat and in bubbles."
        value={values.avatar}
        maxSize={SQUARE}
        isRound
        onChange={(avatar) => onChange({ avatar })}
      />
    </>
  );
}
