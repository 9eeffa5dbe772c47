export default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>;
