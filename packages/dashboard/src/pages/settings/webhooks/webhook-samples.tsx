import { useState } from "react";
import { CopyField } from "../../../components/copy-field.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { webhookCode } from "./webhook-code.ts";

type Language = keyof typeof webhookCode;

const languages: ReadonlyArray<{ value: Language; label: string }> = [
  { value: "node", label: "Node" },
  { value: "python", label: "Python" },
  { value: "php", label: "PHP" },
];

export function WebhookSamples() {
  const [language, setLanguage] = useState<Language>("node");
  return (
    <div className="grid gap-3">
      <SegmentedControl label="Language" value={language} onChange={setLanguage} options={languages} />
      <CopyField label="the code" text={webhookCode[language].trimEnd()} />
    </div>
  );
}
