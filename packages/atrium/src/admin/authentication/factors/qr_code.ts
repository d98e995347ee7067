import encodeQR from 'qr'

/* Width of the empty border, in modules; scanners need it to find the code */
const QUIET_ZONE = 4

/**
 * Returns the path of a QR code in a square of units, for an SVG element.
 *
 * @returns `size`: width of the square in units; `path`: path of the dark units
 */
export function qrCode(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))
  )
  return { size: rows.length, path: squares.join('') }
}
