import type { ModelPrice } from "@foyer/contract";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../../components/button.tsx";
import { formatCost } from "../../../components/cost-text.ts";
import { TextField } from "../../../components/field.tsx";
import { Status, Tag } from "../../../components/status.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import type { PriceRow } from "./price-rows.ts";

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** The models with their prices, and the models in use whose price is unknown. */
export function PricesTable({
  rows,
  onEdit,
  onRemove,
}: {
  rows: readonly PriceRow[];
  onEdit: (row: PriceRow) => void;
  onRemove: (price: ModelPrice) => void;
}) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const shown = rows.filter(({ model }) => model.toLowerCase().includes(wanted));
  return (
    <>
      <TextField type="search" label="Search models" className="max-w-80" value={search} onChange={setSearch} />
      <Table
        label="Prices of models"
        head={
          <>
            <Th>Model</Th>
            <Th isNumber>Input</Th>
            <Th isNumber>Cached input</Th>
            <Th isNumber>Output</Th>
            <Th>Source</Th>
            <ActionsHeader />
          </>
        }
      >
        {shown.map((row) => (
          <Row key={row.model} row={row} onEdit={() => onEdit(row)} onRemove={onRemove} />
        ))}
      </Table>
      {shown.length === 0 && <p className="text-soft">No model matches.</p>}
    </>
  );
}

function Row({
  row: { model, price, isUsed },
  onEdit,
  onRemove,
}: {
  row: PriceRow;
  onEdit: () => void;
  onRemove: (price: ModelPrice) => void;
}) {
  return (
    <Tr>
      <Td className="min-w-40">
        <span className="font-medium">{model}</span> {isUsed && <Tag>In use</Tag>}
      </Td>
      {price ? (
        <>
          <Td isNumber>{formatCost(price.input, price.currency)}</Td>
          <Td isNumber>
            {price.cachedInput === null ? (
              <span className="text-soft">as input</span>
            ) : (
              formatCost(price.cachedInput, price.currency)
            )}
          </Td>
          <Td isNumber>{formatCost(price.output, price.currency)}</Td>
          <Td className="whitespace-nowrap text-soft">
            {price.source === "account" ? "Yours" : "Foyer"}, {date.format(new Date(price.date))}
          </Td>
        </>
      ) : (
        <Td colSpan={4}>
          <Status tone="warning">Unknown. Its replies count towards no cost and no budget.</Status>
        </Td>
      )}
      <ActionsCell>
        {price ? (
          <IconButton label={`Change the price of ${model}`} onClick={onEdit}>
            <Pencil size={16} aria-hidden />
          </IconButton>
        ) : (
          <Button aria-label={`Add the price of ${model}`} onClick={onEdit}>
            Add price
          </Button>
        )}
        {price?.source === "account" && (
          <IconButton label={`Remove your price of ${model}`} onClick={() => onRemove(price)}>
            <Trash2 size={16} aria-hidden />
          </IconButton>
        )}
      </ActionsCell>
    </Tr>
  );
}
