import type { RatingFigures } from "@foyer/contract";
import { formatPercent } from "../../components/day-text.ts";
import { Section } from "../../components/page.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { percentOf } from "./analytics-range.ts";
import { Total, TotalList } from "./totals.tsx";

/** How visitors rated whole conversations: those that people had, and those that the agent answered alone. */
export function ConversationRatings({ ofPeople, alone }: { ofPeople: RatingFigures; alone: RatingFigures }) {
  const asked = ofPeople.asked + alone.asked;
  const rated = ofPeople.rated + alone.rated;
  const points = [ofPeople, alone].reduce((sum, { average, rated }) => sum + (average ?? 0) * rated, 0);
  return (
    <Section
      title="Ratings of conversations"
      description="What visitors answered when the agent asked. Ratings of people count for the day of the request, and those of the agent for the day on which the conversation started, in UTC."
    >
      <TotalList>
        <Total
          name="Rating"
          value={rated === 0 ? "–" : toMean(points / rated)}
          note={`of 5, from ${rated.toLocaleString()}`}
        />
        <Total name="With people" value={meanText(ofPeople)} note={numberText(ofPeople)} />
        <Total name="Agent alone" value={meanText(alone)} note={numberText(alone)} />
        <Total name="Asked" value={asked.toLocaleString()} />
        <Total name="Rated" value={rated.toLocaleString()} note={shareText(rated, asked, "of those asked")} />
      </TotalList>
      {rated > 0 && <Distribution ofPeople={ofPeople} alone={alone} />}
    </Section>
  );
}

/** How many conversations have each rating. The bars repeat the figures. */
function Distribution({ ofPeople, alone }: { ofPeople: RatingFigures; alone: RatingFigures }) {
  const rows = [5, 4, 3, 2, 1].map((score) => {
    const people = ofPeople.scores[score - 1] ?? 0;
    const agent = alone.scores[score - 1] ?? 0;
    return { score, people, agent, all: people + agent };
  });
  const rated = ofPeople.rated + alone.rated;
  const max = Math.max(...rows.map(({ all }) => all));
  return (
    <Table
      label="Conversations by rating"
      head={
        <>
          <Th>Rating</Th>
          <Th isNumber>With people</Th>
          <Th isNumber>Agent alone</Th>
          <Th isNumber>Share</Th>
          <Th>
            <span className="sr-only">Bar</span>
          </Th>
        </>
      }
    >
      {rows.map(({ score, people, agent, all }) => (
        <Tr key={score}>
          <Td className="whitespace-nowrap">{score} of 5</Td>
          <Td isNumber>{people.toLocaleString()}</Td>
          <Td isNumber>{agent.toLocaleString()}</Td>
          <Td isNumber>{shareText(all, rated)}</Td>
          <Td className="w-1/2 sm:w-2/3">
            <div
              aria-hidden
              data-fill
              className="h-3 rounded-[2px] bg-ink/85"
              style={{ inlineSize: `${(all / max) * 100}%` }}
            />
          </Td>
        </Tr>
      ))}
    </Table>
  );
}

const toMean = (mean: number) => mean.toLocaleString(undefined, { maximumFractionDigits: 2 });

function meanText({ average }: RatingFigures): string {
  return average === null ? "–" : toMean(average);
}

function numberText({ rated, asked }: RatingFigures): string {
  return `${rated.toLocaleString()} of ${asked.toLocaleString()} rated`;
}

function shareText(part: number, whole: number, rest = ""): string {
  const percent = percentOf(part, whole);
  return percent === null ? "–" : `${formatPercent(percent)} ${rest}`.trim();
}
