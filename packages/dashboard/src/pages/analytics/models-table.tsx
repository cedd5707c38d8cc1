import type { ConversationAnalytics } from "@foyer/contract";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { CostCell } from "./cost-cell.tsx";

/** The models that answered, the busiest first, with what they cost. */
export function ModelsTable({
  models,
  totals,
  currency,
}: Pick<ConversationAnalytics, "models" | "totals" | "currency">) {
  return (
    <Table
      label="Figures by model"
      head={
        <>
          <Th>Model</Th>
          <Th isNumber>Replies</Th>
          <Th isNumber>Input tokens</Th>
          <Th isNumber>Cached</Th>
          <Th isNumber>Output tokens</Th>
          <Th isNumber>Cost</Th>
        </>
      }
    >
      {models.map((one) => (
        <Row key={one.model} name={one.model} counts={one} currency={currency} />
      ))}
      {models.length > 1 && <Row name="Total" counts={totals} currency={currency} />}
    </Table>
  );
}

type Counts = Omit<ConversationAnalytics["models"][number], "model">;

function Row({ name, counts, currency }: { name: string; counts: Counts; currency: string }) {
  return (
    <Tr>
      <Td className="font-medium wrap-anywhere">{name}</Td>
      <Td isNumber>{counts.replies.toLocaleString()}</Td>
      <Td isNumber>{counts.inputTokens.toLocaleString()}</Td>
      <Td isNumber>{counts.cachedInputTokens.toLocaleString()}</Td>
      <Td isNumber>{counts.outputTokens.toLocaleString()}</Td>
      <CostCell costs={counts} currency={currency} />
    </Tr>
  );
}
