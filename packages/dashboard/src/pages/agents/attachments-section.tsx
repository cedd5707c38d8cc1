import type { AttachmentSettings } from "@foyer/contract";
import { Toggle } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";

/** What visitors can attach to their messages. */
export function AttachmentsSection({
  values,
  onChange,
}: {
  values: AttachmentSettings;
  onChange: (values: AttachmentSettings) => void;
}) {
  return (
    <Section
      title="Pictures and files"
      description="Visitors can attach, drop or paste up to four to a message, each of up to 10 MB."
    >
      <Toggle
        label="Pictures"
        help="JPEG, PNG, GIF and WebP. The place and camera data of photos never leave the visitor's device. If the model can't see pictures, visitors are told so."
        value={values.images}
        onChange={(images) => onChange({ ...values, images })}
      />
      <Toggle
        label="Files"
        help="PDF, DOCX, plain text and CSV. Models that can't read PDF get its text."
        value={values.files}
        onChange={(files) => onChange({ ...values, files })}
      />
      {(values.images || values.files) && (
        <Toggle
          label="Only while a person helps"
          help="Visitors can attach something only while they wait for a person or talk to one."
          value={values.handoffOnly}
          onChange={(handoffOnly) => onChange({ ...values, handoffOnly })}
        />
      )}
    </Section>
  );
}
