// FAISS with its matrix product forced.
import { openFaiss } from './faiss.mjs';

export const name = 'faiss, BLAS forced';
export const open = (setting) => openFaiss(setting, true);
