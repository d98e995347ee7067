import encodeQR from 'qr'

/* Units around the code, as scanners need it to stand out from the page. */
const QUIET_ZONE = 4

/**
 * The path of a QR code in a square of units, for an SVG element. [U8]
 *
 * @returns `size`: units of the square; `path`: of its dark squares
 */
export function qrCode(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))
  )
  return { size: rows.length, path: squares.join('') }
}
