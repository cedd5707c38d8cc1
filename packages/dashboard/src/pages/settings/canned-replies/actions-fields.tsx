import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Select } from "../../../components/field.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import type { ReplyActions } from "../../conversations/composer-text.ts";
import { describeActions, describeMinutes } from "../../conversations/describe-actions.ts";

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
  const tags = useQuery(endpointQuery("listTags")).data ?? [];
  const members = useQuery(endpointQuery("listMembers")).data ?? [];
  const teams = useQuery(endpointQuery("listTeams")).data ?? [];
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
  const others = isListed ? [] : [{ label: describeActions(next, { tags, members, teams }), next }];
  const options = [...steps, ...others].map((step) => ({ value: JSON.stringify(step.next), label: step.label }));
  return (
    <>
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
          { value: "", label: tags.length > 0 ? "Choose a tag" : "Your organization has no tags yet" },
          ...tags.filter(({ id }) => !tagIds.includes(id)).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        error={tagIds.map((_, index) => errorAt(`actions.tagIds.${index}`)).find((error) => error !== undefined)}
      />
      {tagIds.length > 0 && (
        <ul aria-label="Tags to add" className="flex flex-wrap gap-2">
          {tagIds.map((id) => {
            const name = tags.find((tag) => tag.id === id)?.name ?? "Deleted tag";
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
