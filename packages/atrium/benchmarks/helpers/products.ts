import { sameNumbers } from './statistics.js'

/**
 * Number of categories, evenly distributed: a filter by one selects 50 of 10,000. With larger
 * results, the database's work would dominate every contender.
 */
export const CATEGORIES = 200

const WORDS =
  'oiled walnut board thick stoneware cup cast iron pan linen towel brass lamp wool blanket oak stool'.split(
    ' '
  )

/** A row of `products`, with booleans and datetimes as SQL literals. */
export interface ProductRow {
  id: number
  name: string
  description: string
  category: string
  price: number
  sku: string | null
  last_sold: string | null
  created_at: string
}

export function categoryOf(number: number): string {
  return `Category ${number % CATEGORIES}`
}

/** Generates products, the same in every run: every tenth has no SKU, every third no sale. */
export function* products(count: number): Generator<ProductRow> {
  const random = sameNumbers(1)
  for (let id = 1; id <= count; id++) {
    const words = (many: number) =>
      Array.from({ length: many }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
    const day = String(1 + (id % 28)).padStart(2, '0')
    yield {
      id,
      name: `${words(2)} ${id}`,
      description: words(15),
      category: categoryOf(id),
      price: Math.floor(random() * 100_000) / 100,
      sku: id % 10 === 0 ? null : `SKU-${id}`,
      last_sold: id % 3 === 0 ? null : `2026-09-${day} 12:30:45`,
      created_at: `2026-02-${day} 09:15:00`,
    }
  }
}
