import { useEffect, useState } from "react";
import { useFoyer } from "./use-foyer.ts";

export function Shop() {
  const foyer = useFoyer();
  const [booked, setBooked] = useState("");

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
    </main>
  );
}
