import { X } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Select } from "../../../components/field.tsx";
import { NamesNotLoaded } from "../../conversations/composer-lines.tsx";
import type { ReplyActions } from "../../conversations/composer-text.ts";
import { type ActionNames, describeActions, describeMinutes } from "../../conversations/describe-actions.ts";
import { useActionNames } from "../../conversations/use-action-names.ts";

const snoozeTimes = [60, 180, 1_440, 4_320, 10_080];

/** What else happens when the canned reply is sent. */
export function ActionsFields({
  actions,
  onChange,
  errorAt,
}: {
  actions: ReplyActions | null;
  onChange: (actions: ReplyActions | null) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const { names, isFailed, isRetrying, retry } = useActionNames({ tags: true, members: true, teams: true });
  const { tags = [], members = [], teams = [] } = names;
  const { tagIds = [], ...next } = actions ?? {};
  const change = (ids: readonly string[], step: ReplyActions) => {
    const changed = { ...(ids.length > 0 ? { tagIds: [...ids] } : {}), ...step };
    onChange(Object.keys(changed).length > 0 ? changed : null);
  };
  const steps: Array<{ label: string; next: ReplyActions }> = [
    { label: "Leave it open", next: {} },
    { label: "Resolve it", next: { resolve: true } },
    ...snoozeTimes.map((snoozeMinutes) => ({
      label: `Snooze it for ${describeMinutes(snoozeMinutes)}`,
      next: { snoozeMinutes },
    })),
    ...members.map(({ id, name, email }) => ({
      label: `Assign it to ${name || email}`,
      next: { assign: { userId: id } },
    })),
    ...teams.map(({ id, name }) => ({ label: `Assign it to the team ${name}`, next: { assign: { teamId: id } } })),
  ];
  // The API can set other actions, such as another time, and their member or team may no longer exist.
  const value = JSON.stringify(next);
  const isListed = steps.some((step) => JSON.stringify(step.next) === value);
  const others = isListed ? [] : [{ label: describeActions(next, names), next }];
  const options = [...steps, ...others].map((step) => ({ value: JSON.stringify(step.next), label: step.label }));
  return (
    <>
      {isFailed && <NamesNotLoaded isRetrying={isRetrying} onRetry={retry} />}
      <Select
        label="Conversation after sending"
        value={value}
        onChange={(chosen) => {
          const step = [...steps, ...others].find((one) => JSON.stringify(one.next) === chosen);
          if (step) change(tagIds, step.next);
        }}
        options={options}
        error={errorAt("actions.assign.userId") ?? errorAt("actions.assign.teamId") ?? errorAt("actions")}
      />
      <Select
        label="Add tags when sending"
        isOptional
        value=""
        onChange={(id) => id !== "" && change([...tagIds, id], next)}
        options={[
          { value: "", label: describeTagChoice(names.tags) },
          ...tags.filter(({ id }) => !tagIds.includes(id)).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        error={tagIds.map((_, index) => errorAt(`actions.tagIds.${index}`)).find((error) => error !== undefined)}
      />
      {tagIds.length > 0 && (
        <ul aria-label="Tags to add" className="flex flex-wrap gap-2">
          {tagIds.map((id) => {
            const name = names.tags ? (tags.find((tag) => tag.id === id)?.name ?? "Deleted tag") : "…";
            return (
              <li key={id}>
                <Button
                  aria-label={`Remove the tag ${name}`}
                  onClick={() =>
                    change(
                      tagIds.filter((one) => one !== id),
                      next,
                    )
                  }
                >
                  {name} <X size={14} aria-hidden />
                </Button>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

function describeTagChoice(tags: ActionNames["tags"]): string {
  if (!tags) return "The tags have not loaded";
  return tags.length > 0 ? "Choose a tag" : "Your organization has no tags yet";
}
