import app from '@adonisjs/core/services/app'
import { Disk } from '@adonisjs/drive'
import type { DriverContract } from '@adonisjs/drive/types'

/**
 * The disk of uploaded files: the default one of `config/drive.ts`. This is the driver behind Drive's
 * `Disk`, which would drop the dot of `.owners` and refuse names of models that are not ASCII; no part of
 * a key is a client's. [B17]
 */
export async function filesDisk(): Promise<DriverContract> {
  const disk = await app.container.make(Disk)
  return disk.driver
}
