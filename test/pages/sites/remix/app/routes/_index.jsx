import { Link } from "@remix-run/react";

export default function Home() {
  return (
    <main>
      <h1>Harbour</h1>
      <p><Link id="next" to="/bikes">Bikes</Link></p>
      {Array.from({ length: 60 }, (_, index) => <p key={index}>Bike {index + 1} has eight gears.</p>)}
    </main>
  );
}
