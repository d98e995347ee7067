import type { Page } from 'playwright-core'

/**
 * Opens a page in a visit with an empty cache.
 *
 * @returns number and transferred bytes of its requests, with their headers
 */
export async function firstLoad(page: Page, path: string) {
  const sizes: number[] = []
  page.on('requestfinished', async (request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes()
    sizes.push(responseBodySize + responseHeadersSize)
  })
  await page.goto(path, { waitUntil: 'networkidle' })
  return { requests: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

export const KB = 1024
