"""`python -m stalwart_lang` is the command `stalwart`."""

from stalwart_lang.cli import main

if __name__ == "__main__":
    main()
