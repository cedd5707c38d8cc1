import type { InboxFigures, RatingFigures } from "@foyer/contract";
import { formatPercent } from "../../components/day-text.ts";
import { Td, Th } from "../../components/table.tsx";
import { waitText } from "../conversations/waited.tsx";

/** The median, and the time that nine of ten are not longer than. */
export function TimeCell({ time: { median, p90 } }: { time: InboxFigures["firstAnswerMs"] }) {
  if (median === null || p90 === null) return <Td isNumber>–</Td>;
  return (
    <Td isNumber className="whitespace-nowrap">
      {waitText(median)} <span className="text-soft">(p90 {waitText(p90)})</span>
    </Td>
  );
}

/** The mean rating, and of how many. */
export function MeanCell({ rating: { average, rated } }: { rating: RatingFigures }) {
  if (average === null) return <Td isNumber>–</Td>;
  return (
    <Td isNumber className="whitespace-nowrap">
      {average.toLocaleString()} <span className="text-soft">({rated.toLocaleString()})</span>
    </Td>
  );
}

export function RatingHeads() {
  return (
    <>
      <Th isNumber>Rating</Th>
      <Th isNumber>Rated of asked</Th>
    </>
  );
}

export function RatingCells({ rating: { asked, rated, average, responseRate } }: { rating: RatingFigures }) {
  return (
    <>
      <Td isNumber>{average === null ? "–" : average.toLocaleString()}</Td>
      <Td isNumber className="whitespace-nowrap">
        {rated.toLocaleString()} of {asked.toLocaleString()}
        {responseRate !== null && <span className="text-soft"> ({formatPercent(responseRate)})</span>}
      </Td>
    </>
  );
}
