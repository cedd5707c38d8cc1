const paragraphs = Array.from({ length: 60 }, (_, index) => <p key={index}>Bike {index + 1} has eight gears.</p>);

/** The contents of both routes. `Link` is the router's. */
export const Home = ({ Link }) => (
  <main>
    <h1>Harbour</h1>
    <p>
      <Link id="next" to="/bikes">
        Bikes
      </Link>
    </p>
    {paragraphs}
  </main>
);

export const Bikes = ({ Link }) => (
  <main>
    <h1>Bikes</h1>
    <p>
      <Link id="home" to="/">
        Home
      </Link>
    </p>
    <p>
      <label>
        Name <input id="name" />
      </label>
    </p>
    {paragraphs}
  </main>
);
