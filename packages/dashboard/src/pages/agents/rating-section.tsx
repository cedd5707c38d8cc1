import type { RatedConversations } from "@foyer/contract";
import { maxRatingQuestionLength } from "@foyer/contract/rules/limits";
import { Select, TextField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";

type Values = { askRating: RatedConversations | null; ratingQuestion: string };

/** Whether visitors are asked to rate a conversation that has ended, and with which question. */
export function RatingSection({
  values: { askRating, ratingQuestion },
  onChange,
  errorAt,
}: {
  values: Values;
  onChange: (part: Partial<Values>) => void;
  errorAt: (path: string) => string | undefined;
}) {
  return (
    <Section
      title="Rating"
      description="Asks visitors once how a conversation was, from 1 (very bad) to 5 (very good), when a member closes or resolves it or it resolves by itself. The chat shows the question. Visitors who left an email address and have not seen it get an email."
    >
      <Select
        label="Conversations to rate"
        className="max-w-96"
        value={askRating ?? ""}
        onChange={(value) => onChange({ askRating: value === "" ? null : value })}
        options={[
          { value: "", label: "None" },
          { value: "handed_over", label: "Those that a member had" },
          { value: "all", label: "All" },
        ]}
        error={errorAt("askRating")}
      />
      {askRating !== null && (
        <TextField
          label="Rating question"
          isOptional
          autoComplete="off"
          maxLength={maxRatingQuestionLength}
          placeholder="How was this conversation?"
          help={`Up to ${maxRatingQuestionLength} characters, in every language as you write it. Without a question of your own, visitors are asked in their language.`}
          value={ratingQuestion}
          onChange={(value) => onChange({ ratingQuestion: value })}
          error={errorAt("ratingQuestion")}
        />
      )}
    </Section>
  );
}
