import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { RuntimeError } from '../../errors.js'

/** Exact collations of MySQL and of MariaDB */
const EXACT = ['utf8mb4_0900_bin', 'utf8mb4_nopad_bin']

/**
 * Makes text comparisons exact in all tables that are created from now on without a specified collation.
 *
 * @throws RuntimeError  when the database user lacks the privilege
 */
export async function compareTextExactly(client: QueryClientContract): Promise<void> {
  const [known] = await client.rawQuery(
    `select collation_name as name, database() as own from information_schema.collations
     where collation_name in (?, ?)`,
    EXACT
  )
  const { name, own } = known[0]
  const [current] = await client.rawQuery('select @@collation_database as name')
  if (EXACT.includes(current[0].name)) return
  try {
    await client.rawQuery(`alter database ?? character set utf8mb4 collate ${name}`, [own])
  } catch (error) {
    throw new RuntimeError(
      `The database ${own} treats different texts as equal, and this user is not allowed to change that. As a user who is, run: alter database ${own} character set utf8mb4 collate ${name}`,
      { cause: error }
    )
  }
}
