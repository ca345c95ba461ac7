import 'diktera/styles.css';

export const metadata = { title: 'Next.js', icons: 'data:,' };

export default function Layout({ children }) {
  return (
    <html lang="sv">
      <body>{children}</body>
    </html>
  );
}
