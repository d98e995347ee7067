import { test } from '@japa/runner'
import decodeQR from 'qr/decode.js'
import { qrCode } from '#admin/authentication/factors/factors_controller'
import { keyUri, newSecret } from '#admin/authentication/factors/factors'

/** The drawing as a camera sees it: black on white, four pixels a unit */
function photographed({ size, path }: { size: number; path: string }) {
  const scale = 4
  const width = size * scale
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      const start = ((Number(y) * scale + row) * width + Number(x) * scale) * 4
      for (let at = start; at < start + scale * 4; at += 4) data.fill(0, at, at + 3)
    }
  }
  return { width, height: width, data }
}

test.group('QR codes', () => {
  test('[U8] a QR code scanner reads the setup URL', ({ assert }) => {
    for (const issuer of ['Atrium', 'Ein sehr langer Titel mit Umlauten: äöü & Söhne']) {
      const uri = keyUri(newSecret(), { issuer, label: 'a'.repeat(32) })
      assert.equal(decodeQR(photographed(qrCode(uri))), uri)
    }
  })

  test('[U8] the QR code is an SVG path of numbers only, with a quiet zone around it', ({
    assert,
  }) => {
    const { size, path } = qrCode('otpauth://totp/x"><script>')
    assert.match(path, /^(M\d+ \d+h1v1h-1z)+$/)
    const places = [...path.matchAll(/M(\d+) (\d+)/g)].flatMap(([, x, y]) => [Number(x), Number(y)])
    assert.equal(Math.min(...places), 4)
    assert.equal(Math.max(...places), size - 5)
  })
})
