import { useEffect, useState } from "react";
import { Account } from "./account.tsx";
import { useFoyer } from "./use-foyer.ts";
import { usePageTool } from "./use-page-tool.ts";

export function Shop() {
  const foyer = useFoyer();
  const [booked, setBooked] = useState("");
  const [cart, setCart] = useState<string[]>([]);

  // The agent receives the return value of the function. Prices and payments stay on the server.
  usePageTool(foyer, {
    name: "add_to_cart",
    run({ bike }) {
      const items = [...cart, String(bike)];
      setCart(items);
      return { items: items.length };
    },
    confirm: "Add it to the cart?",
  });

  useEffect(() => {
    foyer?.registerFormHandler("book_test_ride", ({ name }) => {
      setBooked(`Booked for ${name}`);
      return { success: true, message: `See you soon, ${name}.` };
    });
    return foyer?.on("form", ({ event }) => {
      if (event === "shown") setBooked("");
    });
  }, [foyer]);

  return (
    <main>
      <h1>Harbour Bikes</h1>
      <p>The City One: 690 euros, seven gears, a basket.</p>
      <button type="button" onClick={() => foyer?.track("cart_updated", { total: 690 })}>
        Add to cart
      </button>
      <button type="button" disabled={!foyer} onClick={() => foyer?.open({ form: "test_ride" })}>
        Book a test ride
      </button>
      <p role="status">{booked}</p>
      <h2>Cart</h2>
      <p>{cart.length > 0 ? cart.join(", ") : "Your cart is empty."}</p>
      <Account foyer={foyer} />
    </main>
  );
}
