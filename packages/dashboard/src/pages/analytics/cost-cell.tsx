import { type CostSum, describeCosts } from "../../components/cost-text.ts";
import { Td } from "../../components/table.tsx";

/** A cell with a sum of costs, and below it the number of replies that the sum leaves out. */
export function CostCell({ costs, currency }: { costs: CostSum; currency: string }) {
  const [sum, note] = describeCosts(costs, currency);
  return (
    <Td isNumber>
      {sum}
      {note && <p className="text-sm text-soft">{note}</p>}
    </Td>
  );
}
